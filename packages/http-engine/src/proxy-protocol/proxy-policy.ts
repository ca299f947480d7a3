import { configDuration } from "server-core/modules/config-fields";
import { IpRanges } from "server-core/net/ip-ranges";
import { z } from "zod";

const defaultTimeoutMs = 5_000;

const policies = ["ignore", "use", "reject", "require", "skip"] as const;
/**
 * `ignore` removes a header, `use` also takes the client's address from it. `reject` ends connections with a header,
 * `require` ends connections without a header. `skip` passes all bytes on unread.
 */
export type ProxyPolicy = (typeof policies)[number];

/** Settings of the listener wrapper, and of the handler in the app `layer4`. Source: Caddy */
export const proxyPolicySchema = {
  timeout: configDuration().nullish().describe("How long the header may take; 0 for any time (5s)."),
  allow: z.array(z.string()).nullish().describe("CIDR ranges of proxies whose header counts."),
  deny: z.array(z.string()).nullish().describe("CIDR ranges of clients that may not send a header."),
  fallback_policy: z
    .string()
    .toLowerCase()
    .pipe(z.enum(policies))
    .nullish()
    .describe(
      "For all others. ignore: the header is read and means nothing; use: it counts; reject: who sends one is cut off; require: who sends none is; skip: it is not looked for (ignore).",
    ),
};

/** Settings of the listener wrapper. Source: Caddy, `proxy_protocol` */
export const proxyProtocolSchema = z.strictObject({
  wrapper: z.literal("proxy_protocol"),
  ...proxyPolicySchema,
});

export type ProxyProtocolConfig = Omit<z.infer<typeof proxyProtocolSchema>, "wrapper">;

/** Decides for each connection what its PROXY protocol header means. */
export interface ProxyProtocolRules {
  /** Milliseconds from accepting a connection until its header must be complete. */
  readonly timeoutMs: number;
  /** @param address "" over a unix socket, whose peers are trusted */
  policyOf(address: string): ProxyPolicy;
}

/** @throws ServerError MODULE_CONFIG for an invalid CIDR range */
export function proxyProtocolRules(config: ProxyProtocolConfig): ProxyProtocolRules {
  const allowed = new IpRanges(config.allow ?? []);
  const denied = new IpRanges(config.deny ?? []);
  const fallback = config.fallback_policy ?? "ignore";
  return {
    timeoutMs: config.timeout ?? defaultTimeoutMs,
    policyOf(address) {
      if (address === "") {
        return "use";
      }
      if (denied.contains(address)) {
        return "reject";
      }
      return allowed.contains(address) ? "use" : fallback;
    },
  };
}
