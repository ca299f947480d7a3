/** Topic by which threads that serve are asked for their listeners; each answers with a list of {@link ListenerState}. */
export const listenersTopic = "http.listeners";

/** One open address of one server of the config, as one thread sees it. */
export interface ListenerState {
  /** With the port that was opened; `unix//path` for a socket in the file system. */
  readonly address: string;
  /** Name of the server in the config. */
  readonly server: string;
  /** Whether connections begin with a TLS handshake. */
  readonly tls: boolean;
  /** As the config names them: `h1`, `h2`, `h2c`. */
  readonly protocols: readonly string[];
  /** Open connections, tunnels and handshakes under way too. */
  readonly connections: number;
}
