/** A listener of a node (§2.9). */
export interface Listener {
  /** As the broker names it: `mqtt:tcp`, `mqtt:ws`, `mqtt:api`, `dashboard:http`, … */
  readonly protocol: string;
  /** As the broker writes it: `8083` or `0.0.0.0:1883`. */
  readonly listen: string;
  /** `undefined` when the broker gives a port alone. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly acceptors: number | undefined;
  readonly maxClients: number | undefined;
  readonly currentClients: number | undefined;
  /**
   * How connections of this listener ended, by reason. Its shape is documented nowhere: what is an
   * object of numbers is understood, everything else is kept as JSON text in `shutdownCountRaw`.
   */
  readonly shutdownCount: Readonly<Record<string, number>>;
  readonly shutdownCountRaw: string | undefined;
}
