import {
  type Draft,
  formatGoDuration,
  handlerDirective,
  type Line,
  line,
  type ModuleText,
  type OptionReader,
  type OptionWriter,
  parseDuration,
  readLines,
  writeLines,
} from "server-module-api";

/** Reads `api_url`. An address gets a final slash. */
const apiUrl: readLines.FieldReader = (cursor, draft) => {
  const text = cursor.onlyArgument();
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) && !text.startsWith("{")) {
    throw cursor.error(`URL ${JSON.stringify(text)} does not have a scheme (i.e https)`);
  }
  draft.api_url = text.endsWith("/") ? text : `${text}/`;
};

/** Reads a duration that the document keeps as text in Go's form: `90s` becomes `1m30s`. */
const interval: readLines.FieldReader = (cursor, draft) => {
  const ms = readLines.parsed(cursor, cursor.onlyArgument(), parseDuration, "invalid duration %s") / 1e6;
  draft.ticker_interval = formatGoDuration(ms);
};

/** Lines that are read and written alike. */
const plainLines = {
  api_key: readLines.onlyText("api_key"),
  metrics_interval: readLines.duration("metrics_interval", "invalid duration %s"),
  enable_caddy_metrics: readLines.flag("enable_caddy_metrics"),
  full_pull_interval: readLines.duration("full_pull_interval", "invalid duration %s"),
  appsec_url: readLines.onlyText("appsec_url"),
  appsec_max_body_bytes: readLines.integer("appsec_max_body_bytes", "invalid maximum number of bytes %s"),
  appsec_timeout: readLines.duration("appsec_timeout", "invalid duration %s"),
  appsec_fail_open: readLines.flag("appsec_fail_open"),
  max_decisions: readLines.integer("max_decisions", "invalid number %s"),
};

/** All lines of the block. */
const lines: readLines.FieldReaders = {
  ...plainLines,
  api_url: apiUrl,
  ticker_interval: interval,
  disable_streaming: readLines.flag("enable_streaming", false),
  enable_hard_fails: readLines.flag("enable_hard_fails"),
};

/**
 * `crowdsec { … }` among the global options.
 * ```
 * {
 *   crowdsec {
 *     api_url http://localhost:8080
 *     api_key {env.CROWDSEC_KEY}
 *     ticker_interval 15s
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "crowdsec": {
 *     "api_url": "http://localhost:8080/",
 *     "api_key": "{env.CROWDSEC_KEY}",
 *     "ticker_interval": "15s",
 *     "enable_streaming": true,
 *     "enable_hard_fails": false
 *   }
 * }
 * ```
 * Source: hslatman/caddy-crowdsec-bouncer, `parseCrowdSec`
 */
const readOption: OptionReader = (cursor) => {
  cursor.noMoreArguments();
  const draft: Draft = {};
  readLines.readFields(
    cursor,
    draft,
    lines,
    (word) => `invalid configuration token ${JSON.stringify(word)} provided`,
  );
  const { api_url, api_key = "", ...others } = draft;
  return {
    ...(api_url !== undefined && { api_url }),
    api_key,
    ticker_interval: "60s",
    enable_streaming: true,
    enable_hard_fails: false,
    ...others,
  };
};

/** Writes the option. Members with the default value get no line. */
const writeOption: OptionWriter = (app) => {
  const url = app.text("api_url");
  const ticker = app.text("ticker_interval");
  const block: Line[] = [
    ...(url === undefined ? [] : [line("api_url", url)]),
    ...writeLines.fieldLines(app, plainLines),
    ...(ticker === undefined || ticker === "60s" ? [] : [line("ticker_interval", ticker)]),
    ...(app.boolean("enable_streaming") === false ? [line("disable_streaming")] : []),
    ...(app.boolean("enable_hard_fails") === true ? [line("enable_hard_fails")] : []),
  ];
  app.done("crowdsec");
  return [{ words: ["crowdsec"], block }];
};

/** The global option of the app. */
export const crowdsecAppText: ModuleText = { readOption, writeOption };

/** A directive without arguments and lines. Source: hslatman/caddy-crowdsec-bouncer */
function bareDirective(name: string): ModuleText {
  return {
    directive: handlerDirective(({ cursor }) => {
      cursor.next();
      cursor.noMoreArguments();
      return { handler: name };
    }),
    toText: () => ({ directive: name, words: [] }),
  };
}

export const crowdsecHandlerText = bareDirective("crowdsec");

export const appsecHandlerText = bareDirective("appsec");
