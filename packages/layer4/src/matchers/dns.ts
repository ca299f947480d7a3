import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import { type Connection, maxMatchingBytes } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";
import { type DnsQuestion, readDnsQuestions } from "./dns-question.ts";

/** Members of a rule. */
const fields = ["name", "type", "class"] as const;

const text = (what: string) => z.string().nullish().describe(`${what} (any).`);

const ruleSchema = z.strictObject({
  name: text("Name that is asked for, in lower case, with a dot at its end"),
  name_regexp: text("Expression for the name, RE2"),
  type: text("Type that is asked for: `A`, `MX`"),
  type_regexp: text("Expression for the type, RE2"),
  class: text("Class that is asked for: `IN`"),
  class_regexp: text("Expression for the class, RE2"),
});

/** Tests a question; the connection provides placeholders. */
type Rule = (question: DnsQuestion, connection: Connection) => boolean;

/**
 * A rule matches when all its members match; an absent or empty member always matches.
 * @throws ServerError MODULE_CONFIG for an invalid pattern
 */
function compileRule(config: z.infer<typeof ruleSchema>): Rule {
  const tests = fields.map((field) => {
    const pattern = config[`${field}_regexp`];
    const regexp = pattern ? new LinearRegexp(replaceAll(pattern)) : undefined;
    return { field, exact: config[field] ?? "", regexp };
  });
  return (question, connection) =>
    tests.every(({ field, exact, regexp }) => {
      const wanted = connection.fill(exact);
      return (wanted === "" || wanted === question[field]) && regexp?.test(question[field]) !== false;
    });
}

/**
 * Matches DNS over TCP by its questions. All questions of the message must be allowed:
 *
 * | rules | fits `allow` | fits `deny` | fits both | fits none |
 * |---|---|---|---|---|
 * | only `allow` | yes | | | no |
 * | only `deny` | | no | | yes |
 * | both | yes | no | yes with `prefer_allow` | no with `default_deny`, else yes |
 *
 * The matcher waits for more bytes until the message is complete. Source: caddy-l4, `layer4.matchers.dns`
 */
export const dnsMatcher = defineModule({
  id: "layer4.matchers.dns",
  config: z.strictObject({
    allow: z.array(ruleSchema).nullish().describe("Questions that match; each must fit one rule (any)."),
    deny: z.array(ruleSchema).nullish().describe("Questions that do not match (none)."),
    default_deny: z
      .boolean()
      .nullish()
      .describe("With rules of both kinds: whether a question that fits none is denied (false)."),
    prefer_allow: z
      .boolean()
      .nullish()
      .describe("Whether a question that fits rules of both kinds is allowed (false)."),
  }),
  provision(config): Matcher {
    const [allow, deny] = [(config.allow ?? []).map(compileRule), (config.deny ?? []).map(compileRule)];
    const mayAsk = (question: DnsQuestion, connection: Connection): boolean => {
      if (question.type === "" || question.class === "") {
        return false; // no rule can name it
      }
      const [allowed, denied] = [allow, deny].map((rules) =>
        rules.some((rule) => rule(question, connection)),
      );
      if (allow.length === 0 || deny.length === 0) {
        return allow.length === 0 ? !denied : allowed === true;
      }
      return denied
        ? allowed === true && config.prefer_allow === true
        : allowed || config.default_deny !== true;
    };
    return {
      matches(connection) {
        const questions = readDnsQuestions(connection.bytes, maxMatchingBytes);
        if (questions === undefined || questions === "none") {
          return questions === undefined ? undefined : false;
        }
        const hasRules = allow.length + deny.length > 0;
        return !hasRules || questions.every((question) => mayAsk(question, connection));
      },
    };
  },
});
