import type { Draft } from "../values/draft.ts";
import type { Route } from "./route.ts";

/** A log defined in a site or in the global options. */
export interface NamedLog {
  /** Name of the log; "" is the server's default log. */
  readonly name: string;
  /** Hosts that replace the hosts of the site. */
  readonly hosts: readonly string[];
  /** True when no host uses the log, so that only handlers can select it by name. */
  readonly noHost: boolean;
  /** Settings of the log; undefined without settings. */
  readonly log: Draft | undefined;
}

/** The settings of the directive `bind`, and of the option `default_bind`. */
export interface Bind {
  /** Addresses without a port. The site's port is added. */
  readonly addresses: readonly string[];
  /** `h1`, `h2`, `h2c`, `h3`; empty means the server's default. */
  readonly protocols: readonly string[];
}

/** A result of a directive. A directive such as `tls` may return several results. */
export type DirectiveResult =
  // A route, sorted by its directive and its path.
  | { readonly kind: "route"; readonly route: Route }
  /** Routes that are sorted together, as one result. */
  | { readonly kind: "routes"; readonly routes: readonly Route[] }
  // A route of `handle_errors`.
  | { readonly kind: "errorRoute"; readonly route: Route }
  // Listen addresses of the site; several `bind` add up.
  | { readonly kind: "bind"; readonly bind: Bind }
  // An access log of the site; several `log` add up.
  | { readonly kind: "log"; readonly log: NamedLog }
  // A CA that the site needs, with its id.
  | { readonly kind: "authority"; readonly authority: Draft; readonly id: string }
  | {
      // Certificates to load: files with their tags, or folders.
      readonly kind: "certificates";
      readonly loader: "load_files" | "load_folders";
      readonly list: (Draft | string)[];
    }
  // An issuer of the site's certificates; issuers are tried in order.
  | { readonly kind: "issuer"; readonly issuer: Draft }
  // A module that provides a certificate during a handshake.
  | { readonly kind: "certificateManager"; readonly manager: Draft }
  // Type of the site's private keys, such as `p256`.
  | { readonly kind: "keyType"; readonly keyType: string }
  // A certificate is renewed when the rest of its lifetime is less than this fraction.
  | { readonly kind: "renewalWindowRatio"; readonly ratio: number }
  // `on_demand`: certificates are obtained within handshakes. `reuse_private_keys`: a renewed certificate keeps the
  // private key. `force_automate`: certificates for the names are obtained and renewed, although the site loads
  // certificates.
  | { readonly kind: "onDemand" | "reusePrivateKeys" | "forceAutomate" }
  // Members of the site's TLS connection policy; every `tls` results in one policy, which may be empty.
  | { readonly kind: "connectionPolicy"; readonly policy: Draft };

export type RouteResult = Extract<DirectiveResult, { kind: "route" | "routes" }>;

/** A result with the name of its directive, which determines the order of routes. */
export interface Placed<T> {
  readonly directive: string;
  readonly result: T;
}

/** True for a result that answers requests. */
export function isRouteResult(placed: Placed<DirectiveResult>): placed is Placed<RouteResult> {
  return placed.result.kind === "route" || placed.result.kind === "routes";
}
