import { buildConnector } from "undici";

/** TLS files of a client; certificates and keys are PEM. */
export interface HostTls {
  /** CAs that verify the server's certificate. Absent: the system's CAs. */
  readonly ca?: Buffer;
  /** The client certificate; requires `key`. */
  readonly cert?: Buffer;
  /** Private key of the certificate, PEM. */
  readonly key?: Buffer;
  /** Name expected in the server's certificate. Absent: the host name of the server's address. */
  readonly serverName?: string;
  /** True: accept any certificate without verification. */
  readonly skipHostVerify: boolean;
}

/** TLS files that may change while the process runs. */
export interface WatchedHostTls {
  /** Contents of the files when they were last read. */
  readonly material: HostTls;
  /** The listener is called each time the files are read again. Connections are then reopened. */
  onChange(listener: (material: HostTls) => void): void;
  /** Stops watching the files. */
  close(): void;
}

/** Makes the options of Node's `tls.connect`. */
function connectOptions({ ca, cert, key, serverName, skipHostVerify }: HostTls) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !skipHostVerify,
  };
}

/**
 * Connects undici's agents over TLS, with the files that are current at that moment.
 * @param tls undefined: undici's default connector
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
