import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Values of the config. `http/1.1+` means version 1.1 or any later version. */
const names = [
  "http",
  "https",
  "grpc",
  "http/1.0",
  "http/1.0+",
  "http/1.1",
  "http/1.1+",
  "http/2",
  "http/2+",
  "http/3",
  "http/3+",
] as const;

/** `grpc` compares the content type, not the version. */
export const protocolMatcher = defineModule({
  id: "http.matchers.protocol",
  config: z
    .enum(names)
    .describe("`https`, `http` (without TLS), `grpc`, or a version; with `+` at least that."),
  provision(name): HttpMatcher {
    switch (name) {
      case "http":
      case "https":
        return { matches: (exchange) => exchange.scheme === name };
      case "grpc":
        return { matches: (exchange) => exchange.header("content-type").startsWith("application/grpc") };
      default: {
        const atLeast = name.endsWith("+");
        const version = Number(name.slice("http/".length).replace("+", ""));
        return {
          matches(exchange) {
            const actual = Number(exchange.stream.version);
            return atLeast ? actual >= version : actual === version;
          },
        };
      }
    }
  },
});
