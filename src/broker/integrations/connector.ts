export interface ConnectorState {
  readonly status: 'connecting' | 'connected' | 'disconnected' | 'stopped';
  readonly reason: string | undefined;
}
