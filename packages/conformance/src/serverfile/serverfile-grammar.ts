import { certificatesGrammar, certificatesMistakes } from "./grammar/certificates.ts";
import { directiveBlocksGrammar, directiveBlocksMistakes } from "./grammar/directive-blocks.ts";
import { directivesGrammar, directivesMistakes } from "./grammar/directives.ts";
import type { Grammar } from "./grammar/grammar.ts";
import { logsGrammar, logsMistakes } from "./grammar/logs.ts";
import { matchersGrammar, matchersMistakes } from "./grammar/matchers.ts";
import { optionsGrammar, optionsMistakes } from "./grammar/options.ts";
import { proxyGrammar, proxyMistakes } from "./grammar/proxy.ts";
import { sitesGrammar, sitesMistakes } from "./grammar/sites.ts";
import { wordsGrammar, wordsMistakes } from "./grammar/words.ts";

/** Productions of serverfiles, by symbol. Each text may be right; some are wrong beside others. */
export const serverfileGrammar: Grammar = {
  ...sitesGrammar,
  ...wordsGrammar,
  ...matchersGrammar,
  ...directivesGrammar,
  ...directiveBlocksGrammar,
  ...proxyGrammar,
  ...certificatesGrammar,
  ...logsGrammar,
  ...optionsGrammar,
};

/** Texts in the place of those of {@link serverfileGrammar} that are wrong: a generated text has few of them, or none. */
export const serverfileMistakes: Grammar = {
  ...sitesMistakes,
  ...wordsMistakes,
  ...matchersMistakes,
  ...directivesMistakes,
  ...directiveBlocksMistakes,
  ...proxyMistakes,
  ...certificatesMistakes,
  ...logsMistakes,
  ...optionsMistakes,
};
