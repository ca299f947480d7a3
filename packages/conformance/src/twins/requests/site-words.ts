import type { Field } from "../twin-case.ts";

/** Words from a site's text, so that requests reach its parts. */
export interface SiteWords {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly fields: readonly Field[];
  readonly isSecure: boolean;
  readonly hasUpstream: boolean;
}

const unique = (list: readonly string[]) => [...new Set(list)];

/** Finds words in a site's text from which requests are made. */
export function siteWords(site: string): SiteWords {
  const hosts: string[] = [];
  let isSecure = false;
  for (const line of site.split("\n").filter((each) => /^[^\s({}&@][^\n]* \{$/.test(each))) {
    for (const address of line.slice(0, -2).split(/,\s*/)) {
      isSecure ||= !address.startsWith("http://");
      const host = address.replace(/^https?:\/\//, "").replace(/[:/].*/, "");
      if (host !== "") {
        hosts.push(host.replace("*", "sub"));
      }
    }
  }
  const paths = [...site.matchAll(/(?<=[\s(])\/[\w.\-/*]*/g)].map(([path]) => path.replaceAll("*", "x"));
  const fields = [...site.matchAll(/\bheader (\w[\w-]*) ([\w*]+)/g)].map(
    ([, name = "", value = ""]): Field => [name, value.replaceAll("*", "b")],
  );
  return {
    hosts: hosts.length === 0 ? ["a.example.com"] : unique(hosts),
    paths: ["/", ...unique(paths)],
    fields: fields.length === 0 ? [["X-A", "one"]] : fields,
    isSecure,
    hasUpstream: /%(UP_\w|FCGI|AUTH|DOWN)%/.test(site),
  };
}
