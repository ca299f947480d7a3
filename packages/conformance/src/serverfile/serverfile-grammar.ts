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

/**
 * Productions of serverfiles, by symbol. Each single text may be right; some of them are wrong in combination with
 * others.
 */
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

/** Wrong texts that replace some texts of {@link serverfileGrammar}: a generated text has a few of them, or none. */
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
