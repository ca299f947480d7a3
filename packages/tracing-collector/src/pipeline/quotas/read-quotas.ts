import { parseLocated } from "../files/located-document.ts";
import { readLimitedFile } from "../files/read-limited-file.ts";
import { type QuotaFile, quotaFileOf, quotasDocument } from "./quota-limits.ts";

const maxFileBytes = 1024 * 1024;

/** The error for an invalid file of quotas. Its message has the position: `quotas.yaml:3:5: tenants.acme: …`. */
export class QuotasError extends Error {
  override readonly name = "QuotasError";
}

/** Settings of the process with which a file of quotas must agree. */
export interface TenancyOfQuotas {
  /** True: requests name tenants. */
  readonly enabled: boolean;
}

/**
 * Reads quotas from YAML or JSON.
 * @param origin name of the text in errors
 * @throws QuotasError for the first mistake
 */
export function parseQuotas(text: string, origin: string, { enabled }: TenancyOfQuotas): QuotaFile {
  const { value, refuse } = parseLocated(text, origin, quotasDocument, (message) => new QuotasError(message));
  if (!enabled && Object.keys(value.tenants).length > 0) {
    throw refuse(["tenants"], "requests have no tenants without --multi-tenancy.enabled");
  }
  return quotaFileOf(value);
}

/** Reads the text of a file. @throws QuotasError */
export async function readQuotaText(path: string): Promise<string> {
  try {
    return (await readLimitedFile(path, maxFileBytes)).toString();
  } catch (error) {
    throw new QuotasError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
