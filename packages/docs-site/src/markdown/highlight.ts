import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import { escapeHtml } from "./escape-html.ts";

// Only these languages are loaded, because the pages have no other languages.
const languages = { bash, go, ini, java, json, python, sql, typescript, yaml };
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}
highlighter.registerAliases(["sh"], { languageName: "bash" });
highlighter.registerAliases(["json5"], { languageName: "json" });
highlighter.registerAliases(["toml", "service"], { languageName: "ini" });
highlighter.registerAliases(["js", "ts"], { languageName: "typescript" });

/** @returns code as HTML with spans and classes; unchanged for an unknown language */
export function highlight(code: string, language: string): string {
  return highlighter.getLanguage(language) === undefined
    ? escapeHtml(code)
    : highlighter.highlight(code, { language }).value;
}
