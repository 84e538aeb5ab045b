/** An adapter under test, and how to be rid of it. */
export interface Opened<Port> {
  readonly port: Port;
  close(): Promise<void>;
}
