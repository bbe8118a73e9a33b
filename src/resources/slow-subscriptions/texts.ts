import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const slowSubscriptionsTexts = {
  notOffered: safe`slow subscriptions`,
  empty: safe`No slow subscriptions.`,
  disabled: (setting: SafeText | undefined) =>
    safe`This broker does not measure slow subscriptions.${setting === undefined ? safe`` : safe` Turn them on in its configuration (${setting}).`}`,
  threshold: (milliseconds: SafeText) => safe`Messages that take longer than ${milliseconds} ms to arrive`,
};
