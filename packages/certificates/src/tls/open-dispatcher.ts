import { rootCertificates } from "node:tls";
import { ServerError } from "server-core/errors";
import type { Dispatcher } from "undici";

/** Environment variables that name a proxy. If all of them are unset, undici's proxy agent is not created. */
const inEnvironment = ["https_proxy", "http_proxy", "HTTPS_PROXY", "HTTP_PROXY"];
/** Hosts that are always reached without these proxies. Source: Go's net/http, ProxyFromEnvironment */
const alwaysDirect = "localhost,127.0.0.1,::1";

/** @throws ServerError MODULE_CONFIG when the URL is not a supported proxy */
export function checkProxy(proxy: string | undefined): void {
  if (proxy && !/^(?:https?|socks5h?):$/.test(URL.parse(proxy)?.protocol ?? "")) {
    throw new ServerError(
      "MODULE_CONFIG",
      "network_proxy: url is not http://host:port, https://host:port or socks5://host:port",
    );
  }
}

/**
 * Opens connections for requests to CAs. The connections always use HTTP/1.1, because a fault in `node:http2` can end
 * the whole process.
 * @param roots PEM certificates that are trusted in addition to Node's roots
 * @param proxy URL of a proxy; "": no proxy; undefined: the proxy in the environment, if any
 */
export async function openDispatcher(
  roots: readonly string[],
  proxy: string | undefined,
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent, ProxyAgent } = await import("undici"); // loaded on first use
  const tls = roots.length > 0 ? { ca: [...rootCertificates, ...roots] } : {};
  if (proxy) {
    return new ProxyAgent({ uri: proxy.replace(/^socks5h:/, "socks5:"), requestTls: tls, allowH2: false });
  }
  if (proxy === undefined && inEnvironment.some((name) => process.env[name])) {
    const own = process.env.no_proxy ?? process.env.NO_PROXY ?? "";
    const noProxy = own.trim() === "*" ? "*" : `${alwaysDirect},${own}`;
    return new EnvHttpProxyAgent({ connect: tls, requestTls: tls, noProxy, allowH2: false });
  }
  return new Agent({ connect: tls, allowH2: false });
}
