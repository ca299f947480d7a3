// Menus and panels of the search page that are read together, when the first of them opens: one file is smaller than
// six.
export { Apart } from "./apart.tsx";
export { ChosenBar } from "./chosen-bar.tsx";
export { ColumnChoices } from "./column-choices.tsx";
export { GroupList } from "./group-list.tsx";
export { SearchLists } from "./search-lists.tsx";
export { ServiceList } from "./service-list.tsx";
