import { Agent as HttpsAgent } from "node:https";
import { buildConnector } from "undici";

/** What a client needs to call over TLS; certificates and keys are PEM. */
export interface HostTls {
  /** The authorities the server is checked against; absent: the usual ones. */
  readonly ca?: Buffer;
  /** What this process shows of itself; comes with `key`. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Name expected in the server's certificate; absent: that of its address. */
  readonly serverName?: string;
  /** Take any certificate, unchecked. */
  readonly skipHostVerify: boolean;
}

/** TLS whose files may change. */
export interface WatchedHostTls {
  readonly material: HostTls;
  onChange(listener: (material: HostTls) => void): void;
  close(): void;
}

/** In the words of Node's `tls.connect`. */
function connectOptions({ ca, cert, key, serverName, skipHostVerify }: HostTls) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !skipHostVerify,
  };
}

/**
 * Connects undici's agents: over TLS with what is in force at that moment.
 * @param tls undefined: as undici does by itself
 */
export function hostConnector(tls: WatchedHostTls | undefined, timeout: number): buildConnector.connector {
  if (tls === undefined) return buildConnector({ timeout });
  const connectorOf = (material: HostTls) => buildConnector({ timeout, ...connectOptions(material) });
  let connect = connectorOf(tls.material);
  tls.onChange((material) => {
    connect = connectorOf(material);
  });
  return (options, callback) => connect(options, callback);
}

/** The same for Node's own requests. Connections of before a change are not used for new calls. */
export function hostAgent(tls: WatchedHostTls, maxSockets: number): HttpsAgent {
  const agent = new HttpsAgent({ keepAlive: true, maxSockets, ...connectOptions(tls.material) });
  // An agent gives a call no connection that was made with other certificates than its options name.
  tls.onChange((material) => {
    for (const name of ["ca", "cert", "key"] as const) delete agent.options[name];
    Object.assign(agent.options, connectOptions(material));
  });
  return agent;
}
