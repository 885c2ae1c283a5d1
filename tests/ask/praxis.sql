create table besitzer(besitzer_id integer primary key, vorname text, nachname text, stadt text);
create table tiere(tier_id integer primary key, name text, "alter" int, besitzer_id int, datum_der_ankunft text);
create table behandlungen(behandlung_id integer primary key, tier_id int, kosten_der_behandlung real);
insert into besitzer values(1,'Ada','Quill','Bonn'),(2,'Bo','Marsch','Ulm'),(3,'Cy','Roth','Bonn');
insert into tiere values(1,'Bello',5,1,'2024-02-01'),(2,'Rex',9,1,'2024-03-05'),(3,'Mia',2,2,'2023-06-01');
insert into behandlungen values(1,1,40),(2,1,70),(3,3,600);
