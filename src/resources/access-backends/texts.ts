import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const accessBackendTexts = {
  notOffered: safe`access backends`,
  empty: safe`No backends: the broker lets every client connect, publish and subscribe.`,
  status: safe`status`,
  connected: safe`connected`,
  down: safe`not connected`,
  disabled: safe`disabled`,
  asked: safe`asked`,
  accepted: safe`yes`,
  refused: safe`no`,
  undecided: safe`no match`,
  rateAndTotal: (rate: SafeText, total: SafeText) => safe`${rate}  ${total}`,
  downNote: safe`A backend that is down does not answer: what it is asked is counted as no match.`,
};
