import type { Draft } from "../values/draft.ts";
import type { Route } from "./route.ts";

/** A log that a site or the global options make. */
export interface NamedLog {
  /** "" is the server's default. */
  readonly name: string;
  /** Instead of those of the site. */
  readonly hosts: readonly string[];
  readonly noHost: boolean;
  /** undefined when nothing was said about it. */
  readonly log: Draft | undefined;
}

/** The settings of the directive `bind`. */
export interface Bind {
  readonly addresses: readonly string[];
  readonly protocols: readonly string[];
}

/** The result of a directive. */
export type DirectiveResult =
  | { readonly kind: "route"; readonly route: Route }
  /** Routes that stand where the directive stands, sorted as one. */
  | { readonly kind: "routes"; readonly routes: readonly Route[] }
  | { readonly kind: "errorRoute"; readonly route: Route }
  | { readonly kind: "bind"; readonly bind: Bind }
  | { readonly kind: "log"; readonly log: NamedLog }
  | { readonly kind: "authority"; readonly authority: Draft; readonly id: string }
  | {
      readonly kind: "certificates";
      readonly loader: "load_files" | "load_folders";
      readonly list: (Draft | string)[];
    }
  | { readonly kind: "issuer"; readonly issuer: Draft }
  | { readonly kind: "certificateManager"; readonly manager: Draft }
  | { readonly kind: "keyType"; readonly keyType: string }
  | { readonly kind: "renewalWindowRatio"; readonly ratio: number }
  | { readonly kind: "onDemand" | "reusePrivateKeys" | "forceAutomate" }
  | { readonly kind: "connectionPolicy"; readonly policy: Draft };

export type RouteResult = Extract<DirectiveResult, { kind: "route" | "routes" }>;

/** A result with the name of its directive, by which routes are sorted. */
export interface Placed<T> {
  readonly directive: string;
  readonly result: T;
}

/** Whether it is something that answers requests. */
export function isRouteResult(placed: Placed<DirectiveResult>): placed is Placed<RouteResult> {
  return placed.result.kind === "route" || placed.result.kind === "routes";
}
