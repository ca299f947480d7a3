import { splitHostPort } from "server-core/go/host-port";
import { inexpressible } from "serverfile/to-text/inexpressible";
import type { Members } from "serverfile/to-text/members";

/** The scheme that is written before the upstream addresses. */
export type UpstreamScheme = "" | "https" | "h2c";

/** The dial addresses of a proxy. @throws ServerError CONFIG_INEXPRESSIBLE */
export function dialsOf(handler: Members): string[] {
  return (handler.children("upstreams") ?? []).map((upstream) => {
    const dial = upstream.text("dial");
    if (dial === undefined || dial === "") {
      throw inexpressible(upstream.path, "an upstream without an address to dial");
    }
    upstream.done("an upstream");
    return dial;
  });
}

/** An address with the scheme before it; undefined when the address cannot have the scheme. */
export function withScheme(dial: string, scheme: UpstreamScheme): string | undefined {
  if (scheme === "") {
    return dial;
  }
  if (dial.startsWith("unix/") && scheme === "h2c") {
    return `unix+h2c/${dial.slice("unix/".length)}`;
  }
  const [usual, conflict] = scheme === "https" ? ["443", "80"] : ["80", "443"];
  try {
    const { host, port } = splitHostPort(dial);
    if (!/^\d+$/.test(port) || port === conflict || !/^[^/{}\s]+$/.test(host)) {
      return undefined;
    }
    const bare = host.includes(":") ? `[${host}]` : host;
    return `${scheme}://${bare}${port === usual ? "" : `:${port}`}`;
  } catch {
    return undefined;
  }
}
