import type { DialectInfo } from '../dialect.ts';
import type { ManagementApi } from '../management-api.ts';
import type { ServingChange, SkippedAddress } from '../transport/failover.ts';

/** The API of a broker over HTTP, at one address or several. */
export interface HttpApi extends ManagementApi {
  readonly info: DialectInfo;
  readonly servingUrl: string;
  /** Means what it means in `Failover`. */
  whyLost(): string | undefined;
  readonly urls: readonly string[];
  at(url: string): ManagementApi;
  onServingChange(listener: (change: ServingChange) => void): () => void;
  onAddressSkipped(listener: (skip: SkippedAddress) => void): () => void;
  setPassword(password: string): void;
  hide(text: string): string;
  close(): Promise<void>;
}
