import {
  blockOf,
  configDuration,
  type Draft,
  defineModule,
  type HttpHandler,
  type HttpMatcher,
  handlerDirective,
  line,
  Members,
  readLines,
  writeLines,
  z,
} from "admin-server/module";

/**
 * Matches requests that carry a key in a header: those who may see the site while it is closed. In a serverfile:
 * `maintenance_key key…`.
 */
const key = defineModule({
  id: "http.matchers.maintenance_key",
  readMatcher(cursor) {
    const keys: string[] = [];
    while (cursor.next()) {
      keys.push(...cursor.someArguments());
    }
    return { keys };
  },
  writeMatcher(value, path) {
    const settings = new Members(value, path);
    const keys = settings.texts("keys") ?? [];
    settings.done("maintenance_key");
    return [line("maintenance_key", ...keys)];
  },
  config: z.strictObject({
    header: z.string().default("X-Maintenance-Key").describe("The header to look at (X-Maintenance-Key)."),
    keys: z.array(z.string()).min(1).describe("Keys that are let in."),
  }),
  provision({ header, keys }): HttpMatcher {
    const known = new Set(keys);
    return { matches: (exchange) => known.has(exchange.header(header)) };
  },
});

/** The lines in braces: each reads itself, and is written back. */
const lines = { retry_after: readLines.duration("retry_after", "invalid retry_after '%s'") };

/** Answers that the site is closed, and when to come back. In a serverfile: `maintenance [text] { retry_after time }`. */
const closed = defineModule({
  id: "http.handlers.maintenance",
  after: "respond",
  directive: handlerDirective(({ cursor }) => {
    cursor.next();
    const settings: Draft = { handler: "maintenance" };
    if (cursor.nextArgument()) {
      settings.text = cursor.value;
    }
    cursor.noMoreArguments();
    readLines.readFields(cursor, settings, lines, (word) => `unrecognized subdirective '${word}'`);
    return settings;
  }),
  toText(settings) {
    const text = settings.text("text");
    return {
      directive: "maintenance",
      words: text === undefined ? [] : [text],
      ...blockOf(writeLines.fieldLines(settings, lines)),
    };
  },
  config: z.strictObject({
    text: z.string().default("Back soon.").describe("What visitors read (Back soon.)."),
    retry_after: configDuration().nullish().describe("When to come back, for the header Retry-After."),
  }),
  provision({ text, retry_after }, context): HttpHandler {
    let refused = 0;
    return {
      handle(exchange) {
        refused++;
        exchange.responseHeaders.push("Content-Type", "text/plain; charset=utf-8");
        if (typeof retry_after === "number") {
          exchange.responseHeaders.push("Retry-After", String(Math.ceil(retry_after / 1_000)));
        }
        exchange.respond(503, `${text}\n`);
      },
      close() {
        context.log.info(`maintenance: ${refused} visitors were asked to come back`);
      },
    };
  },
});

export default [key, closed];
