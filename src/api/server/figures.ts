const kibibyte = 1024;

/** Writes a size as brokers do: two decimals and K, M or G. */
export function sizeText(bytes: number): string {
  if (bytes >= kibibyte ** 3) return `${(bytes / kibibyte ** 3).toFixed(2)}G`;
  if (bytes >= kibibyte ** 2) return `${(bytes / kibibyte ** 2).toFixed(2)}M`;
  return `${(bytes / kibibyte).toFixed(2)}K`;
}
