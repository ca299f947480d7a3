import { parseGoDuration } from "lifecycle";
import { isTenantName } from "lifecycle/tenant-check";
import { z } from "zod";

const maxTenants = 1_000;
const dayMs = 86_400_000;

/** Longest age of the spans of each tenant, in milliseconds. */
export type TenantAges = ReadonlyMap<string, number>;

/** An option such as `acme=7d,beta=36h`. The last `=` ends the name, because a name may contain `=`. */
export function tenantAges() {
  return z
    .string()
    .default("")
    .transform((text, context): TenantAges => {
      const ages = new Map<string, number>();
      for (const entry of text === "" ? [] : text.split(",")) {
        const problem = addAge(ages, entry.trim());
        if (problem !== undefined) {
          context.addIssue(problem);
          return z.NEVER;
        }
      }
      return ages;
    });
}

/** @returns why the entry is refused; undefined if it was added */
function addAge(ages: Map<string, number>, entry: string): string | undefined {
  const at = entry.lastIndexOf("=");
  const [tenant, age] = [entry.slice(0, Math.max(at, 0)), entry.slice(at + 1)];
  const ms = parseGoDuration(age);
  if (!isTenantName(tenant)) {
    return `"${entry}" does not begin with the name of a tenant: acme=7d`;
  }
  // A shorter age would delete spans of the present day while they arrive.
  if (ms === undefined || ms < dayMs) {
    return `"${entry}" does not end with a duration of a day or more: acme=7d`;
  }
  if (ages.has(tenant)) {
    return `tenant ${tenant} is named twice`;
  }
  ages.set(tenant, ms);
  return ages.size > maxTenants ? `has over ${maxTenants} tenants` : undefined;
}

/** The moment before which spans of this age are deleted: the beginning of a day of UTC, in nanoseconds since 1970. */
export function endOfOldDays(nowMs: number, ageMs: number): bigint {
  return BigInt(Math.floor((nowMs - ageMs) / dayMs) * dayMs) * 1_000_000n;
}
