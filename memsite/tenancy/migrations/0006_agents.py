from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0005_documents'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='agents_edit',
            field=models.CharField(choices=[('all', 'whatever they see'), ('own', 'what they wrote themselves'), ('none', 'nothing: they only add')], db_default='all', default='all', help_text='What agents may change and delete: all that they see, their own, or none.', max_length=4),
        ),
        migrations.AddField(
            model_name='agent',
            name='tier',
            field=models.PositiveSmallIntegerField(blank=True, choices=[(1, '1: observe'), (2, '2: investigate'), (3, '3: remediate')], help_text='Of its sessions that name none. Empty: 1.', null=True),
        ),
        migrations.AddField(
            model_name='agent',
            name='deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
