//! Template of a site: markup style, class names, style sheet and scripts.

use crate::page::markup::MarkupStyle;
use crate::random::SeededRng;
use crate::site::Site;
use crate::spec::TagPaths;

/// Template of a site's pages. The string fields are class names of page regions.
pub(crate) struct Template {
    pub(crate) markup: MarkupStyle,
    pub(crate) frame: PageFrame,
    pub(crate) header: &'static str,
    pub(crate) menu: &'static str,
    pub(crate) main: &'static str,
    pub(crate) list: &'static str,
    pub(crate) side: &'static str,
    pub(crate) footer: &'static str,
    /// True if the menu has a snippet for each section.
    pub(crate) wordy_menu: bool,
    /// Number of style rules in the head.
    rules: u32,
    script: usize,
    doctype: &'static str,
}

/// Elements that lay out the regions of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageFrame {
    /// Each item is a `div` element.
    Blocks,
    /// A layout table.
    Table,
}

const DOCTYPES: [&str; 4] = [
    "<!DOCTYPE html>\n",
    "<!DOCTYPE html>\n",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n",
    "",
];

const PROPERTIES: [&str; 12] = [
    "color:#3a4f6b",
    "margin:0 auto",
    "padding:4px 8px",
    "font:bold 12px/1.4 Verdana,sans-serif",
    "border:1px solid #ccd",
    "background:#f4f4f0 url(/img/bg.gif) repeat-x",
    "float:left",
    "width:23%",
    "text-decoration:none",
    "display:block",
    "clear:both",
    "list-style:none",
];

const SCRIPTS: [&str; 4] = [
    "var opened=null;function toggle(id){var e=document.getElementById(id);if(!e){return false;}if(opened&&opened!=e){opened.style.display='none';}e.style.display=(e.style.display=='none')?'block':'none';opened=e;return false;}\nfunction check(f){for(var i=0;i<f.elements.length;i++){if(f.elements[i].value==''&&f.elements[i].className=='must'){alert('Please fill in '+f.elements[i].name);return false;}}return true;}\n",
    "window.metrics=window.metrics||[];(function(d,t){var s=d.createElement(t),p=d.getElementsByTagName(t)[0];s.async=1;s.src='/js/count.js?v=12';p.parentNode.insertBefore(s,p);}(document,'script'));metrics.push(['page',location.pathname]);if(1<2&&document.cookie.indexOf('seen=')<0){document.cookie='seen=1;path=/';}\n",
    "function roll(img,name){if(document.images){img.src='/img/'+name+'.gif';}}\nvar preload=['home_on','up_on','mail_on'];for(var i=0;i<preload.length;i++){var p=new Image();p.src='/img/'+preload[i]+'.gif';}\n",
    "document.addEventListener('DOMContentLoaded',function(){document.querySelectorAll('[data-open]').forEach(function(b){b.addEventListener('click',function(){document.getElementById(b.dataset.open).classList.toggle('open');});});});\n",
];

impl Template {
    /// Template of a site. With [`TagPaths::Random`] the class names differ per page.
    pub(crate) fn of(site: &Site<'_>, page_seed: u64) -> Template {
        let mut rng = SeededRng::new(site.profile.seed, 50);
        let markup = MarkupStyle::draw(&mut rng);
        let frame = if rng.chance(0.2) { PageFrame::Table } else { PageFrame::Blocks };
        let (rules, script) = (rng.between(80, 205), rng.below(SCRIPTS.len() as u32) as usize);
        let (doctype, wordy_menu) = (rng.pick(&DOCTYPES), rng.chance(0.7));
        if site.spec.tag_paths == TagPaths::Random {
            rng = SeededRng::new(page_seed, 51);
        }
        Template {
            markup,
            frame,
            header: rng.pick(&["header", "top", "masthead", "banner", "hd"]),
            menu: rng.pick(&["menu", "nav", "navbar", "links", "tabs", "main-nav"]),
            main: rng.pick(&["content", "main", "body", "text", "center", "col-8"]),
            list: rng.pick(&["list", "items", "entries", "index", "cards", "rows"]),
            side: rng.pick(&["side", "sidebar", "right", "aside", "extra", "col-4"]),
            footer: rng.pick(&["footer", "bottom", "ft", "foot", "legal"]),
            wordy_menu,
            rules,
            script,
            doctype,
        }
    }

    /// Writes the document type and the head with style sheet and scripts.
    pub(crate) fn push_head(&self, out: &mut String, title: &str, description: &str) {
        out.push_str(self.doctype);
        out.push_str("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        out.push_str(title);
        out.push_str("</title>\n<meta name=\"description\" content=\"");
        out.push_str(description);
        out.push_str("\">\n<link rel=\"stylesheet\" href=\"/css/site.css\">\n<style type=\"text/css\">\n");
        let classes = [self.header, self.menu, self.main, self.list, self.side, self.footer];
        let tags = ["a", "ul li", "td.x", "h2", "p", "form input", "img"];
        for rule in 0..self.rules as usize {
            let (class, tag) = (classes[rule % 6], tags[rule * 5 % 7]);
            let (one, two) = (PROPERTIES[rule % 12], PROPERTIES[(rule * 7 + 3) % 12]);
            for part in [".", class, " ", tag, "{", one, ";", two, "}\n"] {
                out.push_str(part);
            }
        }
        out.push_str("</style>\n<script type=\"text/javascript\">\n");
        out.push_str(SCRIPTS[self.script]);
        out.push_str(SCRIPTS[(self.script + 1) % SCRIPTS.len()]);
        out.push_str("</script>\n</head>\n");
    }
}
