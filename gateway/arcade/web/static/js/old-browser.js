// Runs only in browsers that know no modules (before 2018), so it is written for them.
document.getElementById("note").appendChild(document.createTextNode("This browser is too old for these pages."));
