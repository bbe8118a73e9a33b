import { isLacking } from '../../api/capabilities.ts';
import type { Capabilities } from '../../api/management-api.ts';
import type { Monitor } from '../../monitor/state.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { EmptyMessage } from '../../tui/components/table.tsx';
import { useStore } from '../../tui/hooks/use-store.ts';
import { screenTexts } from './texts.ts';

const loginTitles: Partial<Readonly<Record<keyof Capabilities, SafeText>>> = {
  users: safe`Users`,
  apiKeys: safe`API keys`,
};

/** Says why a screen has no rows on this broker; `undefined` where it has. @param what `bans` */
export const useNotOffered = (
  monitor: Monitor,
  capability: keyof Capabilities,
  what: SafeText,
): EmptyMessage | undefined => {
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  if (!isLacking(capability, capabilities)) return undefined;
  const title = capabilities?.isApiKey === true ? loginTitles[capability] : undefined;
  return {
    text: safe` ${title === undefined ? screenTexts.notOffered(trusted(capabilities?.apiName ?? 'this broker'), what) : screenTexts.loginNeeded(title)}`,
  };
};
