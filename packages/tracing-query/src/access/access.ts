import type { HiddenNames } from "./hidden-names.ts";

/** Roles, each with all rights of those before it. */
export const roles = ["viewer", "analyst", "admin"] as const;

/**
 * - `viewer` reads, without the values of marked attributes
 * - `analyst` also writes for others: views, notes, the archive
 * - `admin` also sees the values of marked attributes, and the usage figures
 */
export type Role = (typeof roles)[number];

/** A route or a gRPC method needs a role, the right to delete spans, or nothing. */
export type Need = Role | "delete" | "open";

/** The rights of one request. */
export interface Access {
  readonly role: Role;
  /** Name of the person or program, for the audit of deletions. */
  readonly user: string;
  /** Attributes whose values this request must not see; undefined: it sees all values. */
  readonly hidden: HiddenNames | undefined;
  /** True when the request may delete spans. No role includes this right. */
  readonly mayDelete: boolean;
}

/** Options of a read that carry the rights of its request. */
export interface AccessRead {
  readonly access?: Access | undefined;
}

/** Why a request is refused. */
export interface AccessProblem {
  /** 401: the sender is not identified. 403: the sender is known, but the request is not allowed. */
  readonly status: 401 | 403;
  readonly message: string;
}

/** Finds the rights of requests. */
export interface AccessCheck {
  /** @param need what the request needs; undefined for a route without a rule, which is refused */
  check(asked: AskedAccess, need: Need | undefined): Access | AccessProblem;
  /** The same for an HTTP route. @param path as it is registered: `/api/traces/:traceId` */
  checkRoute(asked: AskedAccess, method: string, path: string): Access | AccessProblem;
}

/** The parts of a request that identify its sender. */
export interface AskedAccess {
  /** Address of the peer; undefined when it is not known. */
  readonly peer: string | undefined;
  /** Tenant whose spans are read; "" without tenancy. */
  readonly tenant: string;
  /** All values of a header as sent. @param name in lower case */
  header(name: string): readonly string[];
}

/** True when the role has the right that a route needs. */
export function suffices({ role, mayDelete }: Access, need: Need): boolean {
  if (need === "open") {
    return true;
  }
  return need === "delete" ? mayDelete : roles.indexOf(role) >= roles.indexOf(need);
}
