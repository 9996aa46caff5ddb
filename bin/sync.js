"use strict";
// A process that syncs for one that lives long.
require("./load.js").load("worker").obeyParent();
