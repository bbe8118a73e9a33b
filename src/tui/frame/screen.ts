import type { SafeText } from '../../terminal/safe-text.ts';
import { exposureWords } from './texts.ts';

export interface ShownLogin {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** Ways in which the password may leak. */
export interface Exposure {
  /** The password may be sent unencrypted to another machine. */
  readonly isInsecure: boolean;
  /** No certificate is checked. */
  readonly isTlsUnchecked?: boolean | undefined;
}

/** Returns warnings that stay in the header. */
export function exposureTexts({ isInsecure, isTlsUnchecked }: Exposure): readonly SafeText[] {
  return [
    ...(isInsecure ? [exposureWords.unencrypted] : []),
    ...(isTlsUnchecked === true ? [exposureWords.tlsNotVerified] : []),
  ];
}
