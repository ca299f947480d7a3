/** Values for the marks in a site's text: the text is the same for both servers, but each server gets other values. */
export interface SiteMarks {
  /** Loopback address of the server and of its upstreams. */
  readonly address: string;
  readonly ports: Readonly<Record<MarkedPort, number>>;
  readonly root: string;
  readonly log: string;
  /** Working folder of the server's process. */
  readonly folder: string;
}

/**
 * Marks of ports that a site's text may contain. `UP_A` to `UP_C`: upstreams without TLS; `UP_S`: with TLS; `UP_2`:
 * HTTP/2 without TLS; `FCGI`: FastCGI; `AUTH`: upstream of `forward_auth`; `DOWN`: a port without a listener.
 */
export const markedPorts = [
  "HTTP",
  "TLS",
  "UP_A",
  "UP_B",
  "UP_C",
  "UP_S",
  "UP_2",
  "FCGI",
  "AUTH",
  "DOWN",
] as const;

export type MarkedPort = (typeof markedPorts)[number];

/** Replaces marks such as `%HTTP%` and `%UP_A%` in `text` by a server's values. */
export function withValues(text: string, { address, ports, root, log }: SiteMarks): string {
  return text.replace(/%([A-Z][A-Z_0-9]*)%/g, (all, mark: string) => {
    if (mark === "ADDRESS") {
      return address;
    }
    if (mark === "ROOT") {
      return root;
    }
    if (mark === "LOG") {
      return log;
    }
    const port = (ports as Readonly<Record<string, number>>)[mark];
    if (port === undefined) {
      return all;
    }
    // A mark of the server's own port stands for the port only; a mark of an upstream stands for address and port.
    return mark === "HTTP" || mark === "TLS" ? String(port) : `${address}:${port}`;
  });
}

/** Replaces a server's values in `text` by marks, so that texts of two servers can be compared. */
export function withMarks(text: string, { address, ports, root, log, folder }: SiteMarks): string {
  let result = text.replaceAll(log, "%LOG%").replaceAll(root, "%ROOT%").replaceAll(folder, "%FOLDER%");
  if (!result.includes(address)) {
    return result;
  }
  for (const [mark, port] of Object.entries(ports)) {
    if (mark !== "HTTP" && mark !== "TLS") {
      result = result.replaceAll(`${address}:${port}`, `%${mark}%`);
    }
  }
  return result.replaceAll(address, "%ADDRESS%");
}
