/**
 * The sections of the page of examples, by id of the described handler: `## rewrite` begins the
 * section of `http.handlers.rewrite`.
 * @param markdown the page; each section begins with a heading of the second level
 */
export function handlerExamples(markdown: string): Map<string, string> {
  const [, ...sections] = markdown.split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [name = "", ...lines] = section.split("\n");
      return [`http.handlers.${name}`, lines.join("\n").trim()];
    }),
  );
}
