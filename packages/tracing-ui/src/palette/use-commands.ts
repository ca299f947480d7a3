import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { themeChoice, zoneChoice } from "ui-kit/theme/preferences.ts";
import { namesQuery } from "../api/names.ts";
import { patternChoice } from "../components/service-patterns.ts";
import { uiConfig } from "../links/ui-config.ts";
import { type KeptSearches, searchWords } from "../searches/kept-searches.ts";
import { traceIdInText } from "../trace/trace-id-in-text.ts";
import type { Command, CommandGroup } from "./command.ts";

type Navigate = ReturnType<typeof useNavigate>;

/**
 * All commands of the palette: actions of the page, pages, searches, services, appearance.
 * @param actions actions of the current page
 * @param kept    saved searches, and recent searches of this browser
 * @param text    typed text; the server searches the services by a word of it
 * @returns the groups, and the error when services could not be loaded
 */
export function useCommands(
  actions: readonly Command[],
  kept: KeptSearches,
  onHelp: () => void,
  text: string,
): { groups: readonly CommandGroup[]; error: Error | null } {
  const navigate = useNavigate();
  const contains = useSettled(serviceWord(text));
  const found = useQuery({ ...namesQuery({ contains }), placeholderData: keepPreviousData });
  const services = found.data?.names;
  const groups = useMemo(
    () => [
      { title: "On this page", commands: actions },
      { title: "Pages", commands: pageCommands(navigate, onHelp) },
      { title: "Saved searches", commands: kept.saved.map((search) => keptCommand(navigate, search)) },
      {
        title: "Recent searches",
        commands: kept.recent.map((address) => keptCommand(navigate, { address, name: "" })),
      },
      { title: "Appearance", commands: appearanceCommands() },
      { title: "Services", commands: (services ?? []).flatMap((name) => serviceCommands(navigate, name)) },
    ],
    [actions, kept, services, navigate, onHelp],
  );
  return { groups, error: found.error };
}

/** Matches beginnings of the words "its", "traces", "rates" and "dependencies", which are notes of service commands. */
const noteWords = /^(i|it|its|t|tr\w*|r|ra\w*|d|de\w*)$/i;

/** The word of a text that is most likely a part of a service's name: the longest word that is not a note word. */
function serviceWord(text: string): string {
  const words = text.trim().split(/\s+/);
  const names = words.length === 1 ? words : words.filter((word) => !noteWords.test(word));
  return names.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** The commands for a text that is a trace id or a TraceQL query. */
export function commandsOfText(text: string, navigate: Navigate): readonly Command[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) {
    return [
      {
        ...{ id: "traceql", title: "Search by this TraceQL", note: trimmed },
        run: () => void navigate({ to: "/search", search: { q: trimmed } }),
      },
    ];
  }
  const traceId = traceIdInText(trimmed);
  // Short ids are ignored: "dead" and "cafe" are more likely words.
  if (traceId === undefined || traceId.length < 8) {
    return [];
  }
  return [
    {
      ...{ id: "trace", title: "Go to the trace", note: traceId },
      run: () => void navigate({ to: "/trace/$traceId", params: { traceId } }),
    },
  ];
}

/** A command for each page, and a command for the list of keys. */
function pageCommands(navigate: Navigate, onHelp: () => void): readonly Command[] {
  const to = (
    title: string,
    to:
      | "/search"
      | "/services"
      | "/exceptions"
      | "/models"
      | "/objectives"
      | "/usage"
      | "/dependencies"
      | "/compare"
      | "/changes",
  ): Command => ({
    ...{ id: to, title, run: () => void navigate({ to }) },
  });
  return [
    to("Search traces", "/search"),
    to("Services and their rates", "/services"),
    to("Exceptions", "/exceptions"),
    to("Models: tokens, cost and times", "/models"),
    to("Objectives and their error budgets", "/objectives"),
    to("Usage: who sends how much", "/usage"),
    to("Dependencies", "/dependencies"),
    to("Compare traces", "/compare"),
    to("Changes: compare times and versions", "/changes"),
    { id: "help", title: "Show all keys", key: "?", run: onHelp },
  ];
}

/** A command that runs a saved or recent search. The title is its name, or a summary without a name. */
function keptCommand(navigate: Navigate, { address, name }: { address: string; name: string }): Command {
  const words = searchWords(address);
  return {
    id: `kept ${name} ${address}`,
    ...(name === "" ? { title: words } : { title: name, note: words }),
    run: () => void navigate({ to: "/search", search: Object.fromEntries(new URLSearchParams(address)) }),
  };
}

/** The three commands for a service: its traces, rates and calls. */
function serviceCommands(navigate: Navigate, name: string): readonly Command[] {
  return [
    {
      ...{ id: `traces ${name}`, title: name, note: "its traces" },
      run: () => void navigate({ to: "/search", search: { service: name } }),
    },
    {
      ...{ id: `rates ${name}`, title: name, note: "its rates" },
      run: () => void navigate({ to: "/services", search: { service: name } }),
    },
    {
      ...{ id: `links ${name}`, title: name, note: "its dependencies" },
      run: () => void navigate({ to: "/dependencies", search: { focus: name } }),
    },
  ];
}

/** Commands for theme, time zone and patterns. */
function appearanceCommands(): readonly Command[] {
  const themes = [
    { id: "light", title: "Light theme", run: () => themeChoice.set("light") },
    { id: "dark", title: "Dark theme", run: () => themeChoice.set("dark") },
    { id: "system", title: "Theme of the system", run: () => themeChoice.set("system") },
  ];
  return [
    ...(uiConfig.themes.enabled ? themes : []),
    { id: "utc", title: "Times in UTC", run: () => zoneChoice.set("utc") },
    { id: "local", title: "Times in the browser's zone", run: () => zoneChoice.set("local") },
    {
      ...{ id: "patterns", title: "Patterns for services", note: "on or off: tells colours apart by shape" },
      run: () => patternChoice.set(patternChoice.get() === "on" ? "off" : "on"),
    },
  ];
}
