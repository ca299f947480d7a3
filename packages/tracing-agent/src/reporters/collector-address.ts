import { isIP } from "node:net";
import { StartError } from "lifecycle";

/** A configured collector. */
export interface CollectorAddress {
  /** The text in the configuration. */
  readonly text: string;
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** True when `host` is a name, so that its addresses may change. */
  readonly isName: boolean;
}

/**
 * Reads `host:port` or `[::1]:port`; gRPC's forms `dns:host:port` and `dns:///host:port` are also accepted.
 * @throws StartError for a text of another form
 */
export function parseCollectorAddress(text: string): CollectorAddress {
  const [, ipv6, plain, portText] =
    /^(?:dns:(?:\/\/\/)?)?(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? plain;
  const port = Number(portText);
  if (host === undefined || port < 1 || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) {
    throw new StartError(`option --reporter.grpc.host-port: "${text}" is not host:port`);
  }
  return { text, host, port, isName: isIP(host) === 0 };
}
