import { mount } from "svelte";
import App from "./App.svelte";
import "./design/tokens.css";
import "./design/base.css";

const target = document.getElementById("app");
// The frame that came with the document has done its part.
target?.replaceChildren();
if (target) mount(App, { target });
