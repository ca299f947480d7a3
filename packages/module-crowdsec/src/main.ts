import { appsecHandler } from "./appsec-handler.ts";
import { crowdsecApp } from "./crowdsec-app.ts";
import { crowdsecHandler } from "./crowdsec-handler.ts";
import { crowdsecMatcher } from "./crowdsec-matcher.ts";
import { appsecHandlerText, crowdsecAppText, crowdsecHandlerText } from "./crowdsec-text.ts";

/** The modules with their texts, for a config that names this package under `modules`. */
export default [
  { ...crowdsecApp, ...crowdsecAppText },
  { ...crowdsecHandler, ...crowdsecHandlerText, before: "tracing" },
  { ...appsecHandler, ...appsecHandlerText, after: "crowdsec" },
  { ...crowdsecMatcher },
];
