import { formatCount } from '../terminal/format.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';

/** Commands of the palette that have no key. */
export const commandTexts = {
  disconnect: (count: number) =>
    safe`Disconnect ${formatCount(count)} ${count === 1 ? safe`client` : safe`clients`}; asks first`,
  clientsByNetwork: safe`Clients grouped by network`,
  clientsByUsername: safe`Clients grouped by username`,
  clientsByNode: safe`Clients grouped by node`,
  longestQueues: safe`Sessions by queue, longest first`,
  mostDelivered: safe`Sessions by deliveries per second, most first`,
  mostSubscribers: safe`Topic filters by subscribers, most first`,
  fewestClients: safe`Nodes by clients, fewest first`,
  mostDropped: safe`Sessions by drops per second, most first`,
  context: (name: SafeText) => safe`context ${name}`,
  clusters: safe`clusters`,
  theme: (name: SafeText) => safe`Theme: ${name}`,
  startRecording: safe`Start recording this cluster`,
  stopRecording: safe`Stop recording`,
  report: safe`Write an incident report to a file`,
  findClient: (typed: SafeText) => safe`Find "${typed}" in Clients`,
};

/** Answers of the frame. */
export const answerTexts = {
  noClient: safe`Select the problem of a client to disconnect it`,
  switching: (context: SafeText) => safe`Switching to ${context}…`,
  openingClusters: safe`Opening the clusters…`,
  recording: (folder: SafeText) => safe`Recording to ${folder}`,
  recordingStopped: safe`Stopped recording. What was recorded is kept.`,
  finishFirst: safe`An action is running: switch when it is done`,
};

export const reportFormTexts = {
  title: safe`Incident report`,
  from: safe`From`,
  to: safe`To`,
  timeHelp: safe`such as 14:02, 27 Nov 14:02:31, 10m (ago) or now`,
  formatHelp: safe`one file, with graphs (← → or Space)`,
  redact: safe`Redact`,
  redactHelp: safe`yes replaces client IDs, users, addresses and nodes by other names`,
  noTime: safe`Type a time, such as 14:02, 27 Nov 14:02:31 or 10m.`,
  notBefore: safe`This must be later than From.`,
  nothing: safe`Nothing was recorded in this time.`,
  saved: safe`Incident report`,
  progress: (share: number) => safe`${formatCount(Math.floor(100 * share))} % of the recording read`,
};
