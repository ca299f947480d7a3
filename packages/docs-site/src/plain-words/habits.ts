import type { Sentence } from "./sentence.ts";

/** A sentence with a habit that makes people read it twice. */
export interface Finding {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly habit: "opening" | "length" | "phrase";
  /** Advice on what to write instead. */
  readonly advice: string;
  /** The sentence. */
  readonly text: string;
}

/** Maximum number of words in a sentence. Authors aim for 25; a longer sentence than 30 fails the check. */
export const mostWords = 30;

/** Openings that keep the reader waiting for the subject. A question may begin with any of them. */
const openings: readonly RegExp[] = [
  /^Of (?!course\b)/,
  /^(?:What|Who|Whom|Whose)\b(?!’s new)/,
  /^So (?:many|much|few|long|often|far|little)\b/,
  /^As (?!soon\b|long\b)\w+ as\b/,
  /^(?:By|With|From|In|On|At|To|For|Of|Under|Through) (?:what|whom|whose|so (?:many|much|few|long|little))\b/,
];

/** Phrases that hide a plain verb, and the plain verb. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bput(?:s|ting)? away\b/, "removed, stored, closed"],
  [/\b(?:go|goes|going|went) round\b/, "is handed on, is repeated"],
  [/\bnot lived with\b/, "fails, is fatal"],
  [/\basks? for it(?=[.,;])/, "requests …"],
  [/\bthe house\b(?! of)/i, "the repository, all processes"],
  [/\bin vain\b/, "failed, without an answer"],
  [/\bin the making\b/, "being made"],
  [/\bso (?:many|few) (?!as\b|that\b)\w+ (?!that\b)/i, "at most …, at least …, this many …"],
  [/\b(?:is|are|was|were) (?:told|said) (?:so|once|of)\b/, "is logged, gets an answer"],
  [/\bso no more\b|\bno more (?:is|are|has|have)\b/, "no longer"],
  [/\bstands? there\b/, "the value, the text"],
  [/\bnothing to it\b/, "ignored"],
  [/\bwhat of\b/i, "which part of"],
  [/\bgives? (?:its|their) room back\b/, "frees its space"],
  [/\bholds? (?:the )?others not\b/, "does not block"],
  [/\b(?:for|after|than) so (?:long|often)\b(?! (?:as|that)\b)/, "for this many milliseconds"],
  [/\bin the midst\b/, "during"],
  [/\b(?:is|are) meant(?=[.,;:])/, "on purpose"],
  [/\bwhere absent\b/, "by default"],
  [/, else (?:what|where)\b/, "otherwise"],
];

export function findHabits({ text, line, docComment }: Sentence): Finding[] {
  const findings: Finding[] = [];
  const question = /\?["”)]*$/.test(text);
  if (
    !question &&
    (openings.some((opening) => opening.test(text)) || (!docComment && /^Whether\b/.test(text)))
  ) {
    findings.push({ line, habit: "opening", advice: "begin with the subject, a noun", text });
  }
  const words = countWords(text);
  if (words > mostWords) {
    findings.push({ line, habit: "length", advice: `${words} words: cut it in two`, text });
  }
  for (const [phrase, instead] of phrases) {
    if (phrase.test(text)) {
      findings.push({ line, habit: "phrase", advice: `instead: ${instead}`, text });
    }
  }
  return findings;
}

/** Words with a letter or a digit in them. */
export function countWords(text: string): number {
  return text.split(/[\s–—/]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
