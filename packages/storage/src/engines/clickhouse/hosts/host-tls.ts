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
