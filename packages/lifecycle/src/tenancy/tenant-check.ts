import type { TenancyOptions } from "./tenancy-options.ts";

/** What is wrong with the tenant header of a request: there is none, there are several, or it names nobody known. */
export type TenantProblem = "missing" | "extra" | "unknown";

/** The words of the public model for each problem, as a body of HTTP 401 or the details of a gRPC status. */
export const tenantProblemTexts: Readonly<Record<TenantProblem, string>> = {
  missing: "missing tenant header",
  extra: "extra tenant header",
  unknown: "unknown tenant",
};

/** Finds the tenant of a request. */
export class TenantCheck {
  readonly enabled: boolean;
  /** Lower case. */
  readonly header: string;
  readonly #known: ReadonlySet<string>;

  constructor(options: TenancyOptions) {
    this.enabled = options["multi-tenancy.enabled"];
    this.header = options["multi-tenancy.header"];
    this.#known = new Set(options["multi-tenancy.tenants"]);
  }

  /**
   * The tenant that a request names.
   * @param headerValues every value of the header, as sent. The public model takes the first where HTTP has several
   *   and refuses several over gRPC: over HTTP give only the first. One value with commas counts as several: so Node
   *   joins those that HTTP/2 brings.
   * @returns `tenant` "" when tenancy is off, whatever the header says; an empty value counts as missing
   */
  check(headerValues: readonly string[]): { tenant: string } | { problem: TenantProblem } {
    if (!this.enabled) {
      return { tenant: "" };
    }
    const [tenant = "", extra] = headerValues
      .flatMap((value) => value.split(","))
      .map((value) => value.trim());
    if (extra !== undefined) {
      return { problem: "extra" };
    }
    if (tenant === "") {
      return { problem: "missing" };
    }
    return this.#known.size > 0 && !this.#known.has(tenant) ? { problem: "unknown" } : { tenant };
  }
}
