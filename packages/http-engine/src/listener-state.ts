/**
 * Topic with which the serving threads are asked for their listeners; each thread returns a list of {@link
 * ListenerState}.
 */
export const listenersTopic = "http.listeners";

/** The state in one thread of one open address of one server of the config. */
export interface ListenerState {
  /** Listening address with the port that was opened; `unix//path` for a socket in the file system. */
  readonly address: string;
  /** Name of the server in the config. */
  readonly server: string;
  /** True when connections start with a TLS handshake. */
  readonly tls: boolean;
  /** Names as in the config: `h1`, `h2`, `h2c`, `h3`. */
  readonly protocols: readonly string[];
  /** Open connections, including tunnels and running handshakes. */
  readonly connections: number;
}
