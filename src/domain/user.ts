/** An administrator of the management interface (§2.14). The password is never read back. */
export interface AdminUser {
  readonly username: string;
  /** A role label such as `administrator`. What it grants is not specified. */
  readonly tags: string;
  /** The address of the interface that listed it, where there are several: brokers may keep users on each node. */
  readonly url?: string | undefined;
}
