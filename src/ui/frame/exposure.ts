import { type SafeText, safe } from '../../terminal/safe-text.ts';

/** Who besides the broker may learn the password. */
export interface Exposure {
  /** The password may go unencrypted to another machine. */
  readonly isInsecure: boolean;
  /** It is encrypted for whoever answers: no certificate is checked. */
  readonly isTlsUnchecked?: boolean | undefined;
}

/** What has to be said of it for as long as it holds, in a few words each. */
export function exposureTexts({ isInsecure, isTlsUnchecked }: Exposure): readonly SafeText[] {
  return [...(isInsecure ? [safe`UNENCRYPTED`] : []), ...(isTlsUnchecked === true ? [safe`TLS NOT VERIFIED`] : [])];
}
