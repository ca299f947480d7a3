import { createHash } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { messageOf } from "server-core/errors";
import { AcmeProblem } from "../acme-problem.ts";
import type { Validator } from "./validation.ts";

/** Milliseconds for the response of one name server. Then the next attempt starts. */
const timeoutMs = 2_000;
/** Number of requests to each name server. */
const tries = 2;

/** Proof: a DNS record of the name contains the digest of the key authorization. Source: RFC 8555, section 8.4 */
export const validateDns: Validator = async ({ name, keyAuthorization, signal }, { resolvers }) => {
  const record = `_acme-challenge.${name}`;
  const wanted = createHash("sha256").update(keyAuthorization).digest("base64url");
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (resolvers.length > 0) {
    resolver.setServers(resolvers);
  }
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel);
  let found: string[][];
  try {
    found = await resolver.resolveTxt(record);
  } catch (error) {
    throw new AcmeProblem("dns", `${record}: ${messageOf(error)}`);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  if (!found.some((parts) => parts.join("") === wanted)) {
    throw new AcmeProblem("incorrectResponse", `${record}: no TXT record with the key authorization`);
  }
};
