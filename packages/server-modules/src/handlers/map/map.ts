import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { compileTemplate, setPlaceholder, type Template } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { jsonText } from "server-core/json/json-text";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";

const configSchema = z.strictObject({
  source: z.string().nullish().describe("What is looked up: a placeholder, or a text with some."),
  destinations: z.array(z.string()).nullish().describe("Placeholders in braces that get a value."),
  mappings: z
    .array(
      z.strictObject({
        input: z.string().nullish().describe("The source must be this text."),
        input_regexp: z.string().nullish().describe("Or match this regular expression in RE2 syntax."),
        outputs: z
          .array(z.json())
          .nullish()
          .describe(
            "A value for each destination; placeholders allowed, or groups as `$1` after a regular expression; null: not from here.",
          ),
      }),
    )
    .nullish()
    .describe("Tried in order; the first that matches and has a value for a destination counts."),
  defaults: z.array(z.string()).nullish().describe("A value for each destination where no mapping has one."),
});

/** One compiled line of the map. */
interface Mapping {
  /** The value, or undefined when the source does not match. */
  value(source: string, exchange: Exchange, index: number): string | undefined;
}

/** One line of the map in the config. */
type MappingConfig = NonNullable<z.infer<typeof configSchema>["mappings"]>[number];

/**
 * Compiles a line. @throws ServerError MODULE_CONFIG when the number of outputs differs from the number of
 * destinations, or when both inputs are set
 */
function compileMapping(config: MappingConfig, count: number): Mapping {
  const outputs = (config.outputs ?? []).map((output) =>
    output === null ? undefined : jsonText(output as JsonValue),
  );
  if (outputs.length !== count) {
    throw new ServerError(
      "MODULE_CONFIG",
      `mapping has ${outputs.length} outputs but there are ${count} destinations defined`,
    );
  }
  if (config.input_regexp) {
    if (config.input) {
      throw new ServerError("MODULE_CONFIG", "cannot have both input and input_regexp in one mapping");
    }
    const regexp = new LinearRegexp(config.input_regexp);
    return {
      value(source, _exchange, index) {
        const output = outputs[index];
        const match = output === undefined ? undefined : regexp.find(source);
        // Placeholders are not replaced: the client chooses the groups, and could write `{env.SECRET}`.
        return match && output !== undefined ? regexp.expand(output, match) : undefined;
      },
    };
  }
  const templates = outputs.map((output) => (output === undefined ? undefined : compileTemplate(output)));
  return {
    value: (source, exchange, index) =>
      source === (config.input ?? "") ? templates[index]?.(exchange) : undefined,
  };
}

/** The placeholder name of a destination, without braces. */
function nameOf(destination: string): string {
  if (!/^\{[^{}]+\}$/.test(destination)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `destination must be a placeholder in braces, not ${JSON.stringify(destination)}`,
    );
  }
  return destination.slice(1, -1);
}

/**
 * Sets placeholders depending on the value of a source. A value is computed when its placeholder is read. The following
 * config sets `{tenant}` to `shop` for the host `shop.example.com`:
 * ```json
 * {
 *   "source": "{http.request.host}",
 *   "destinations": ["{tenant}"],
 *   "mappings": [{ "input_regexp": "^(.*)\\.example\\.com$", "outputs": ["$1"] }]
 * }
 * ```
 * Source: Caddy 2.11
 */
export const map = defineModule({
  id: "http.handlers.map",
  config: configSchema,
  provision(config): HttpHandler {
    const source = compileTemplate(config.source ?? "");
    const names = (config.destinations ?? []).map(nameOf);
    const seen = new Set<string>();
    for (const { input, input_regexp: pattern } of config.mappings ?? []) {
      const key = pattern ? `~${pattern}` : `=${input ?? ""}`;
      if (seen.has(key)) {
        throw new ServerError(
          "MODULE_CONFIG",
          `a mapping has a duplicate input ${JSON.stringify(pattern || input)}`,
        );
      }
      seen.add(key);
    }
    const mappings = (config.mappings ?? []).map((each) => compileMapping(each, names.length));
    const defaults: readonly Template[] = (config.defaults ?? []).map(compileTemplate);
    if (defaults.length > 0 && defaults.length !== names.length) {
      throw new ServerError(
        "MODULE_CONFIG",
        `${defaults.length} defaults but there are ${names.length} destinations defined`,
      );
    }

    function lookUp(exchange: Exchange, index: number): string {
      const text = source(exchange);
      for (const mapping of mappings) {
        const value = mapping.value(text, exchange, index);
        if (value !== undefined) {
          return value;
        }
      }
      return defaults[index]?.(exchange) ?? "";
    }

    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange, next) {
        for (const [index, name] of names.entries()) {
          setPlaceholder(exchange, name, () => lookUp(exchange, index));
        }
        return next(exchange);
      },
    };
  },
});
