import { z } from "zod";
import { ServerError } from "../../core/errors.ts";
import { configDuration } from "../../core/modules/config-fields.ts";
import { IpRanges } from "../../modules/matchers/ip-ranges.ts";

const defaultTimeoutMs = 5_000;

const policies = ["ignore", "use", "reject", "require", "skip"] as const;
export type ProxyPolicy = (typeof policies)[number];

const proxyProtocolSchema = z.strictObject({
  wrapper: z.literal("proxy_protocol"),
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
});

const tlsMarkerSchema = z.strictObject({ wrapper: z.literal("tls") });

/** What connections pass before requests are read. Source: the public model, `listener_wrappers` */
export const listenerWrappersSchema = z
  .array(
    z
      .looseObject({
        wrapper: z.enum(["proxy_protocol", "tls"], {
          error: (issue) =>
            `unsupported listener wrapper ${JSON.stringify(issue.input)}: one of proxy_protocol, tls`,
        }),
      })
      .pipe(z.discriminatedUnion("wrapper", [proxyProtocolSchema, tlsMarkerSchema])),
  )
  .describe("`proxy_protocol` takes the client's address from a proxy in front; it stands before `tls`.");

export type ListenerWrappersConfig = z.infer<typeof listenerWrappersSchema>;

/** Says of each connection what a PROXY protocol header on it means. */
export interface ProxyProtocolRules {
  readonly timeoutMs: number;
  /** @param address "" over a unix socket, whose peers are trusted */
  policyOf(address: string): ProxyPolicy;
}

/** @returns undefined where no header is looked for. @throws ServerError MODULE_CONFIG */
export function loadProxyProtocol(
  config: ListenerWrappersConfig | null | undefined,
): ProxyProtocolRules | undefined {
  const at = config?.findIndex(({ wrapper }) => wrapper === "proxy_protocol") ?? -1;
  const found = config?.[at];
  if (found?.wrapper !== "proxy_protocol") {
    return undefined;
  }
  if (config?.slice(0, at).some(({ wrapper }) => wrapper === "tls")) {
    throw new ServerError(
      "MODULE_CONFIG",
      "listener_wrappers: proxy_protocol stands before tls, not behind it",
    );
  }
  const allowed = new IpRanges(found.allow ?? []);
  const denied = new IpRanges(found.deny ?? []);
  const fallback = found.fallback_policy ?? "ignore";
  return {
    timeoutMs: found.timeout ?? defaultTimeoutMs,
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
