// Annotations of ingress-nginx that are followed, because that controller is retired and its users move.

import type { Ingress } from "../cluster/kube-object.ts";
import type { Backend } from "./backends.ts";

const prefix = "nginx.ingress.kubernetes.io/";

/**
 * Annotations that restrict the clients. None of them is supported, so an Ingress with one is refused; otherwise it
 * would be open to everybody.
 */
const guards = [
  "auth-secret",
  "auth-tls-secret",
  "auth-tls-verify-client",
  "auth-type",
  "auth-url",
  "denylist-source-range",
  "satisfy",
  "whitelist-source-range",
];

const backendProtocols: Readonly<Record<string, Backend["protocol"]>> = {
  HTTP: "http",
  HTTPS: "https",
  GRPC: "h2c",
};

/** Settings in the annotations of an Ingress. */
export interface IngressSettings {
  /** True: requests over plain HTTP for a host with TLS are redirected. */
  readonly redirectsToTls: boolean;
  readonly usesRegexp: boolean;
  /** Path for the upstream; `$1` is a group of the path's regular expression. */
  readonly rewriteTarget: string | undefined;
  readonly protocol: Backend["protocol"] | undefined;
}

/** @throws Error for an annotation that must not be ignored */
export function readAnnotations({ metadata }: Ingress): IngressSettings {
  const value = (name: string) => metadata.annotations?.[`${prefix}${name}`];
  const guard = guards.find((name) => value(name) !== undefined);
  if (guard !== undefined) {
    throw new Error(
      `annotation ${prefix}${guard} is not followed: without it the Ingress would be open to everybody, so it is not served`,
    );
  }
  const protocol = value("backend-protocol");
  if (protocol !== undefined && backendProtocols[protocol.toUpperCase()] === undefined) {
    throw new Error(`annotation ${prefix}backend-protocol: ${protocol} is none of HTTP, HTTPS, GRPC`);
  }
  return {
    redirectsToTls: value("ssl-redirect") !== "false",
    usesRegexp: value("use-regex") === "true" || value("rewrite-target") !== undefined,
    rewriteTarget: value("rewrite-target"),
    protocol: protocol === undefined ? undefined : backendProtocols[protocol.toUpperCase()],
  };
}
