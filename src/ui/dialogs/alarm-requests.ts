import type { ConfirmRequest } from '../../actions/requests.ts';
import { clearAlarmHistory } from '../../actions/alarms.ts';
import { alarmTexts } from './texts.ts';

/** @param count ended alarms on the screen */
export const clearHistoryRequest = (count: number): ConfirmRequest => ({
  kind: 'confirm',
  question: alarmTexts.clear.question,
  target: alarmTexts.clear.target,
  details: [alarmTexts.clear.count(count)],
  verb: alarmTexts.clear.verb,
  mustType: alarmTexts.clear.target,
  action: clearAlarmHistory.create(count),
});
