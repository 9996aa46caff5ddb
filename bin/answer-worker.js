"use strict";
// A thread that answers the questions of a server.
void require("./load.js").load("cli").answerQuestions();
