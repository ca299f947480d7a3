import type { ModuleText } from "serverfile/module-text";
import { abort } from "./abort-directive.ts";
import { redir } from "./redir-directive.ts";
import { respond } from "./respond-directive.ts";
import { staticResponse as toText } from "./static-response-lines.ts";

export const staticResponseText: ModuleText = { directives: { redir, abort, respond }, toText };
