import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { IpRanges } from "server-core/net/ip-ranges";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import { subjectCovers } from "../subject-names.ts";
import { type HandshakeMatcher, handshakeMatchers } from "./handshake-matcher.ts";

const ranges = () => z.array(z.string()).nullish().describe("Addresses or CIDR ranges.");

/** Matches the server name of the handshake. */
export const sniMatcher = defineModule({
  id: "tls.handshake_match.sni",
  config: z.array(z.string()).describe("Names, `*` for a label; any of them."),
  provision(names): HandshakeMatcher {
    const exact = new Set(names.map((name) => replaceAll(name).toLowerCase()));
    const wild = [...exact].filter((name) => name.includes("*"));
    return {
      matches: ({ hello: { serverName } }) =>
        exact.has(serverName) || wild.some((name) => subjectCovers(name, serverName)),
    };
  },
});

/** Matches the server name with a regular expression. */
export const sniRegexpMatcher = defineModule({
  id: "tls.handshake_match.sni_regexp",
  config: z.strictObject({
    name: z.string().nullish().describe("For people."),
    pattern: z.string().describe("Unanchored, case-sensitive; names are lower case."),
  }),
  provision({ pattern }): HandshakeMatcher {
    const regexp = new LinearRegexp(replaceAll(pattern));
    return { matches: ({ hello }) => regexp.test(hello.serverName) };
  },
});

/** Matches the peer's address. */
export const remoteIpHandshakeMatcher = defineModule({
  id: "tls.handshake_match.remote_ip",
  config: z.strictObject({ ranges: ranges(), not_ranges: ranges() }),
  provision(config): HandshakeMatcher {
    const inside = config.ranges?.length ? new IpRanges(config.ranges) : undefined;
    const outside = new IpRanges(config.not_ranges ?? []);
    return {
      matches: ({ remoteAddress }) =>
        inside?.contains(remoteAddress) !== false && !outside.contains(remoteAddress),
    };
  },
});

/** Matches the local address that the client connected to. */
export const localIpMatcher = defineModule({
  id: "tls.handshake_match.local_ip",
  config: z.strictObject({ ranges: ranges() }),
  provision(config): HandshakeMatcher {
    const inside = config.ranges?.length ? new IpRanges(config.ranges) : undefined;
    return { matches: ({ localAddress }) => inside?.contains(localAddress) !== false };
  },
});

/** Matches when none of its matcher sets matches. */
export const notHandshakeMatcher = defineModule({
  id: "tls.handshake_match.not",
  config: z.array(moduleMap("tls.handshake_match")).describe("Sets of matchers."),
  async provision(config, context): Promise<HandshakeMatcher> {
    const sets: HandshakeMatcher[][] = [];
    for (const [position, modules] of config.entries()) {
      const set: HandshakeMatcher[] = [];
      for (const [name, each] of Object.entries(modules)) {
        set.push(await context.load(handshakeMatchers, name, each as JsonValue, `${position}/${name}`));
      }
      sets.push(set);
    }
    return { matches: (handshake) => !sets.some((set) => set.every((each) => each.matches(handshake))) };
  },
});
