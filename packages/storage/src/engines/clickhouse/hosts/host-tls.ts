import { buildConnector } from "undici";

/** TLS files of a client; certificates and keys are PEM. */
export interface HostTls {
  /** The authorities that the server's certificate is checked against; absent: the system's. */
  readonly ca?: Buffer;
  /** The client certificate; requires `key`. */
  readonly cert?: Buffer;
  /** Private key, PEM, of the certificate. */
  readonly key?: Buffer;
  /** Name expected in the server's certificate; absent: that of its address. */
  readonly serverName?: string;
  /** Take any certificate, unchecked. */
  readonly skipHostVerify: boolean;
}

/** TLS files that may change. */
export interface WatchedHostTls {
  /** Files as they were read last. */
  readonly material: HostTls;
  /** Calls with each new reading; connections are then made anew. */
  onChange(listener: (material: HostTls) => void): void;
  /** Ends the watch. */
  close(): void;
}

/** The options of Node's `tls.connect`. */
function connectOptions({ ca, cert, key, serverName, skipHostVerify }: HostTls) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !skipHostVerify,
  };
}

/**
 * Connects undici's agents, over TLS with the files that are current at that moment.
 * @param tls undefined: undici's own way
 */
export function hostConnector(tls: WatchedHostTls | undefined, timeout: number): buildConnector.connector {
  if (tls === undefined) {
    return buildConnector({ timeout });
  }
  const connectorOf = (material: HostTls) => buildConnector({ timeout, ...connectOptions(material) });
  let connect = connectorOf(tls.material);
  tls.onChange((material) => {
    connect = connectorOf(material);
  });
  return (options, callback) => connect(options, callback);
}
