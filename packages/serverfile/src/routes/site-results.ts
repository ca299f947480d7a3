import type { Draft } from "../values/draft.ts";
import type { Route } from "./route.ts";

/** A log that a site or the global options make. */
export interface NamedLog {
  /** "" is the server's default. */
  readonly name: string;
  /** Hosts that replace the hosts of the site. */
  readonly hosts: readonly string[];
  /** True: no host is mapped to the log; handlers name it. */
  readonly noHost: boolean;
  /** undefined when nothing was said about it. */
  readonly log: Draft | undefined;
}

/** The settings of the directive `bind`, and of the option `default_bind`. */
export interface Bind {
  /** Addresses without a port. The site's port is used. */
  readonly addresses: readonly string[];
  /** `h1`, `h2`, `h2c`, `h3`; none: the server's default. */
  readonly protocols: readonly string[];
}

/** The result of a directive. A directive such as `tls` may have several. */
export type DirectiveResult =
  // A route, sorted by its directive and its path.
  | { readonly kind: "route"; readonly route: Route }
  /** Routes that stand where the directive stands, sorted as one. */
  | { readonly kind: "routes"; readonly routes: readonly Route[] }
  // A route of `handle_errors`.
  | { readonly kind: "errorRoute"; readonly route: Route }
  // Addresses that the site listens on; several `bind` add up.
  | { readonly kind: "bind"; readonly bind: Bind }
  // An access log of the site; several `log` add up.
  | { readonly kind: "log"; readonly log: NamedLog }
  // A certificate authority that the site needs, by its id.
  | { readonly kind: "authority"; readonly authority: Draft; readonly id: string }
  | {
      // Certificates to load from files, with their tags, or from folders.
      readonly kind: "certificates";
      readonly loader: "load_files" | "load_folders";
      readonly list: (Draft | string)[];
    }
  // An issuer of the site's certificates, in the order in which they are tried.
  | { readonly kind: "issuer"; readonly issuer: Draft }
  // A module that is asked for a certificate within a handshake.
  | { readonly kind: "certificateManager"; readonly manager: Draft }
  // Kind of the site's private keys, such as `p256`.
  | { readonly kind: "keyType"; readonly keyType: string }
  // Last part of a certificate's life in which it is renewed.
  | { readonly kind: "renewalWindowRatio"; readonly ratio: number }
  // `on_demand`: certificates are obtained within handshakes. `reuse_private_keys`: a renewed certificate keeps its
  // key.
  // `force_automate`: names are automated although the site loads certificates.
  | { readonly kind: "onDemand" | "reusePrivateKeys" | "forceAutomate" }
  // Members of the site's TLS connection policy; each `tls` has one, which may be empty.
  | { readonly kind: "connectionPolicy"; readonly policy: Draft };

export type RouteResult = Extract<DirectiveResult, { kind: "route" | "routes" }>;

/** A result with the name of its directive, which decides its place among the routes. */
export interface Placed<T> {
  readonly directive: string;
  readonly result: T;
}

/** Whether it is something that answers requests. */
export function isRouteResult(placed: Placed<DirectiveResult>): placed is Placed<RouteResult> {
  return placed.result.kind === "route" || placed.result.kind === "routes";
}
