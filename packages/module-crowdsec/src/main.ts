import { crowdsecApp } from "./crowdsec-app.ts";
import { crowdsecHandler } from "./crowdsec-handler.ts";
import { crowdsecMatcher } from "./crowdsec-matcher.ts";
import { crowdsecAppText, crowdsecHandlerText } from "./crowdsec-text.ts";

/** The modules with their texts, for a config that names this package under `modules`. */
export default [
  { ...crowdsecApp, ...crowdsecAppText },
  { ...crowdsecHandler, ...crowdsecHandlerText, before: "tracing" },
  { ...crowdsecMatcher },
];
